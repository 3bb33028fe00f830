/**
 * Waits until a CDP address answers. The gateway holds each question for 25 s; a cold start on a busy machine takes longer.
 * Any other refusal than "not ready in time" is thrown.
 */
export async function untilAnswering(cdpUrl: string, timeoutMs = 150_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const response = await fetch(`${cdpUrl}/json/version`);
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 504 || Date.now() > deadline) throw new Error(`${response.status} ${text}`);
  }
}
