/** A viewer of a few lines that types: RFB 3.8 through the gateway, as the viewer's page does it (RFC 6143). */
export interface Typist {
  /** A chord such as `Control+Shift+i`. */
  press(chord: string): void;
  type(text: string): void;
  close(): void;
}

const SYMBOL: Record<string, number> = {
  Control: 0xffe3,
  Shift: 0xffe1,
  Alt: 0xffe9,
  Escape: 0xff1b,
  Return: 0xff0d,
  Delete: 0xffff,
  Tab: 0xff09,
  Down: 0xff54,
};
const symbolOf = (key: string): number => {
  const functionKey = /^F(\d+)$/.exec(key);
  if (functionKey) return 0xffbd + Number(functionKey[1]);
  return SYMBOL[key] ?? key.codePointAt(0)!;
};

/** `liveUrl` as the API gives it. */
export async function startTypist(liveUrl: string): Promise<Typist> {
  const [, base, uid, token] = /^(.*)\/view\/([0-9a-f-]{36})\/([\w-]+)$/.exec(liveUrl)!;
  const answer = await fetch(`${base}/view/${uid}/grant`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(liveUrl).origin },
    body: JSON.stringify({ token }),
  });
  const { credential } = (await answer.json()) as { credential: string };
  const socket = new WebSocket(`${base!.replace(/^http/, 'ws')}/view/${uid}/ws`, {
    protocols: ['binary', `podwright.${credential}`],
    headers: { origin: new URL(liveUrl).origin },
  });
  socket.binaryType = 'arraybuffer';
  let bytes = Buffer.alloc(0);
  let wake = (): void => undefined;
  let failure: Error | undefined;
  socket.addEventListener('message', ({ data }) => {
    bytes = Buffer.concat([bytes, Buffer.from(data as ArrayBuffer)]);
    wake();
  });
  socket.addEventListener('close', ({ code, reason }) => {
    failure = new Error(`the viewer closed: ${code} ${reason}`);
    wake();
  });
  const take = async (length: number): Promise<Buffer> => {
    while (bytes.length < length) {
      if (failure) throw failure;
      await new Promise<void>((done) => (wake = done));
    }
    const taken = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    return taken;
  };
  await take(12);
  socket.send('RFB 003.008\n');
  const [kinds = 0] = await take(1);
  await take(kinds);
  socket.send(Uint8Array.of(1));
  await take(4);
  socket.send(Uint8Array.of(1));
  const server = await take(24);
  await take(server.readUInt32BE(20));
  // Pictures are not asked for; what comes by itself is thrown away.
  wake = () => (bytes = Buffer.alloc(0));

  const key = (symbol: number, down: boolean): void => {
    const message = Buffer.alloc(8);
    message[0] = 4;
    message[1] = down ? 1 : 0;
    message.writeUInt32BE(symbol, 4);
    socket.send(message);
  };
  const press = (keys: string[]): void => {
    for (const one of keys) key(symbolOf(one), true);
    for (const one of keys.toReversed()) key(symbolOf(one), false);
  };
  return {
    press: (chord) => press(chord.split('+')),
    type(text) {
      for (const letter of text) press([letter]);
    },
    close: () => socket.close(),
  };
}
