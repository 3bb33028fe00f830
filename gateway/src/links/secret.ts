import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Secrets of the gateway that all replicas share without storing them: derived from the signing key that each of them
 * mounts. `purpose` keeps what is signed for one thing from being taken for another.
 */
export interface GatewaySecret {
  mac(purpose: string, text: string): string;
  isMac(purpose: string, text: string, mac: string): boolean;
}

export function createGatewaySecret(privatePem: string): GatewaySecret {
  const keys = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    let key = keys.get(purpose);
    if (!key) keys.set(purpose, (key = Buffer.from(hkdfSync('sha256', privatePem, 'podwright-gateway', purpose, 32))));
    return key;
  };
  const digest = (purpose: string, text: string): Buffer => createHmac('sha256', keyFor(purpose)).update(text).digest();
  return {
    mac: (purpose, text) => digest(purpose, text).toString('base64url'),
    isMac(purpose, text, mac) {
      const expected = digest(purpose, text);
      const given = Buffer.from(mac, 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
