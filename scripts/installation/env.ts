/** `make env`: shell exports for the running installation. Comments and errors go to standard error. */
import { NAMESPACE, findPlace, gatewayUrl, readKey } from './place.ts';

const place = await findPlace();
const key = readKey(place);
if (key === null) {
  console.error(`env: nothing is installed in cluster ${place.cluster}; run make up first`);
  process.exit(1);
}
const variables = {
  KUBECONFIG: process.env['KUBECONFIG'],
  PODWRIGHT_URL: await gatewayUrl(place),
  PODWRIGHT_API_KEY: key,
  PODWRIGHT_NAMESPACE: NAMESPACE,
  PATH: process.env['PATH'],
};
for (const [name, value] of Object.entries(variables)) {
  if (value !== undefined) console.log(`export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`);
}
