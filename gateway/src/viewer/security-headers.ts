/**
 * Headers of everything the viewer serves. The page holds a credential: no copy of it in a cache, no address of it in a
 * Referer, no script that is not ours, no frame but those allowed.
 */
export function viewerHeaders(options: {
  frameAncestors: readonly string[];
  socketOrigin: string;
}): Record<string, string> {
  const ancestors = options.frameAncestors.length === 0 ? "'self'" : options.frameAncestors.join(' ');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    // Older browsers do not count sockets of the same host as 'self'.
    `connect-src 'self' ${options.socketOrigin}`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()',
  };
}

/** `ws://host` for `http://host`. */
export const socketOriginOf = (publicUrl: string): string => new URL(publicUrl).origin.replace(/^http/, 'ws');
