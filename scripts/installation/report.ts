import { type Place, DEMO } from './place.ts';
import type { SampleResult } from './sample.ts';

/** What the API answers of a session, as far as it is shown here. */
interface ApiSession {
  status?: string;
  output?: unknown;
  liveUrl?: string | null;
}

/** The last page of `make up`: what came out, where things are, what to do next. */
export async function printReport(facts: {
  place: Place;
  publicUrl: string;
  key: string;
  sample: SampleResult;
  demoModel: boolean;
}): Promise<void> {
  const { place, publicUrl, key, sample } = facts;
  const answer = await askApi(publicUrl, key, sample.uid);
  const cluster = place.cluster === 'podwright' ? '' : ` CLUSTER=${place.cluster}`;
  console.log(`
The task of session ${sample.session} has an answer: ${sample.summary}
${indent(JSON.stringify(answer.output, null, 2) ?? 'null')}
${
  facts.demoModel
    ? `
It came from the bundled demo model, which can do this sample and nothing else. For other tasks set OPENAI_API_KEY,
ANTHROPIC_API_KEY or OPENAI_BASE_URL and run make up again.
`
    : ''
}
  Gateway   ${publicUrl}
  API key   ${key}   (kept in ${place.keyFile})
  API       ${publicUrl}/api/v3/openapi.json
  Viewer    ${answer.liveUrl ?? 'liveUrl of any browser or session you create'}
  CDP       cdpUrl of any browser you create, for Playwright's connectOverCDP

Next:
  eval "$(make -s env${cluster})"
  kubectl get bs -n ${DEMO.namespace}
  kubectl describe bs ${sample.session} -n ${DEMO.namespace}
  curl -s -X POST -H "X-Browser-Use-API-Key: $PODWRIGHT_API_KEY" "$PODWRIGHT_URL/api/v3/browsers"
  make status${cluster}      make down${cluster}
`);
}

async function askApi(publicUrl: string, key: string, id: string): Promise<ApiSession> {
  const response = await fetch(`${publicUrl}/api/v3/sessions/${id}`, {
    headers: { 'x-browser-use-api-key': key },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) {
    throw new Error(`the gateway at ${publicUrl} answers ${response.status} for the sample: ${await response.text()}`);
  }
  return (await response.json()) as ApiSession;
}

const indent = (text: string): string => text.replaceAll(/^/gm, '    ');
