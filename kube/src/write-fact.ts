/** A request that changes something, for a metric. */
export interface WriteFact {
  verb: 'create' | 'update' | 'apply' | 'patch' | 'delete';
  /** Plural and subresource, for example `pods` or `browsersessions/status`. */
  resource: string;
  /** HTTP status; 0 when no answer came. */
  code: number;
}

export const writeFact = (method: string, path: string, contentType: string | undefined, code: number): WriteFact => ({
  verb: verbOf(method, contentType),
  resource: resourceOf(path),
  code,
});

function verbOf(method: string, contentType = ''): WriteFact['verb'] {
  if (method === 'PATCH') return contentType.startsWith('application/apply-patch') ? 'apply' : 'patch';
  return method === 'POST' ? 'create' : method === 'DELETE' ? 'delete' : 'update';
}

/** What pathOf made: group and version, the namespace if any, then what is meant here. */
function resourceOf(path: string): string {
  const [plural = '', , subresource] = path
    .replace(/^\/(api|apis\/[^/]+)\/[^/]+\//, '')
    .replace(/^namespaces\/[^/]+\/(?=.)/, '')
    .split('/');
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}
