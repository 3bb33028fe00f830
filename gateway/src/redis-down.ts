/** True when Redis could not be asked, as opposed to having refused a command. */
export function isRedisDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError') return true;
  return (
    error.message === 'Connection is closed.' ||
    error.message === 'Command timed out' ||
    error.message.startsWith("Stream isn't writeable") ||
    /^(LOADING|CLUSTERDOWN|MASTERDOWN|READONLY) /.test(error.message)
  );
}
