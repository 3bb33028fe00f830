// A task through the unmodified SDK of Browser Use Cloud:
//   npm install browser-use-sdk zod && node examples/sdk.mjs
// PODWRIGHT_URL and PODWRIGHT_API_KEY come from `make env`.
import { BrowserUse } from 'browser-use-sdk/v3';
import { z } from 'zod';

const { PODWRIGHT_URL: url, PODWRIGHT_API_KEY: key } = process.env;
if (!url || !key) throw new Error('PODWRIGHT_URL and PODWRIGHT_API_KEY are not set: run eval "$(make -s env)" first');

const client = new BrowserUse({ apiKey: key, baseUrl: `${url}/api/v3` });
const task =
  process.argv[2] ??
  'Open http://demo-site.podwright-demo.svc.cluster.local/ and find the Brass Lamp. Report its price and whether it is in stock.';

const { output, isTaskSuccessful, lastStepSummary, totalCostUsd } = await client.run(task, {
  schema: z.object({ price: z.string(), inStock: z.boolean() }),
});
console.log({ output, isTaskSuccessful, lastStepSummary, totalCostUsd });
