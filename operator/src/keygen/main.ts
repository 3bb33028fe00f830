import { createClient } from '@podwright/kube/client';
import { connect } from '@podwright/kube/connection';
import { pino } from 'pino';
import { ensureKeys } from './ensure-keys.ts';

/** One-shot Job: makes what is missing of the installation's keys, or their next generation, and ends. */
const prefix = process.env['PODWRIGHT_PREFIX'] ?? 'podwright';
const namespace = process.env['PODWRIGHT_NAMESPACE'] ?? 'podwright-system';
const generation = Number(process.env['PODWRIGHT_TOKEN_KEY_GENERATION'] ?? '1');
const log = pino({ level: process.env['PODWRIGHT_LOG_LEVEL'] ?? 'info', base: { part: 'keygen' } });

const connection = await connect({ now: Date.now });
try {
  const made = await ensureKeys({
    client: createClient({ connection, userAgent: 'podwright-keygen' }),
    namespace,
    prefix,
    generation,
  });
  log.info({ made }, made.length === 0 ? 'every key was there' : 'keys were made');
} finally {
  await connection.close();
}
