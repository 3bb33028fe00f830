/** Reads the page that an agent shows in its last message. Nothing about refs or pages is assumed. */
export interface ShownPage {
  url: string;
  headings: string[];
  lines: string[];
  controls: ShownControl[];
}

export interface ShownControl {
  ref: string;
  role: string;
  name: string;
  href: string | null;
  disabled: boolean;
}

export function readObservation(text: string): ShownPage | null {
  const content = /Current page:\s*<page-content>\n([\s\S]*?)\n<\/page-content>/.exec(text)?.[1];
  if (content === undefined) return null;
  const lines = content.split('\n').map((line) => line.trim());
  return {
    url: lines.find((line) => line.startsWith('Address: '))?.slice('Address: '.length) ?? '',
    headings: lines.filter((line) => /^#+ /.test(line)).map((line) => line.replace(/^#+ /, '')),
    lines,
    controls: lines.flatMap((line) => {
      const match = /^\[(s\d+e\d+)\] (\S+) "([^"]*)"(.*)$/.exec(line);
      if (!match) return [];
      const [, ref = '', role = '', name = '', rest = ''] = match;
      return [{ ref, role, name, href: / -> (\S+)/.exec(rest)?.[1] ?? null, disabled: rest.endsWith(' disabled') }];
    }),
  };
}
