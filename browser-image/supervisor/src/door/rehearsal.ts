import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose';
import { Value } from 'typebox/value';
import { BindRequest, PodStatus } from '@podwright/api/pod-door';
import { createSigner, createVerifier } from '@podwright/api/tokens';

/** What is run often enough is compiled; once is not enough for that. */
const ROUNDS = 20;

/**
 * Does what the first bind will need while nobody waits for it. Code that a process runs for the first time costs it tens
 * of milliseconds, and a warm pod has seconds to spare: Chromium starts meanwhile. The key is made here and known to no
 * door, so nothing is opened by it.
 */
export async function rehearse(options: { podUid: string; status: () => PodStatus; now: () => number }): Promise<void> {
  const { podUid, now } = options;
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const kid = 'rehearsal';
  const installation = 'rehearsal';
  const keys = { operator: [{ kid, pem: await exportSPKI(publicKey) }], gateway: [], keeper: [] };
  const signer = await createSigner({
    issuer: 'operator',
    installation,
    kid,
    privatePem: await exportPKCS8(privateKey),
    now,
  });
  const verifier = await createVerifier({ installation, podUid, keys, now });
  const request: BindRequest = {
    sessionUid: podUid,
    sessionName: 'rehearsal',
    egress: { egress: 'None', allowedHosts: [] },
    viewport: { width: 1280, height: 720 },
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await verifier.verify(await signer.sign(podUid, { scope: 'bind', subject: podUid }));
    Value.Check(BindRequest, JSON.parse(JSON.stringify(request)));
    JSON.stringify(options.status());
  }
}
