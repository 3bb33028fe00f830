/** Address of a viewer page: the link or ticket stands in the path, so that nothing is lost when something is appended. */
export const viewUrl = (publicUrl: string, sessionUid: string, token: string): string =>
  `${publicUrl}/view/${sessionUid}/${token}`;

/** Address of a session's CDP endpoint. */
export const cdpUrl = (publicUrl: string, sessionUid: string, token: string): string =>
  `${publicUrl}/cdp/${sessionUid}/${token}`;
