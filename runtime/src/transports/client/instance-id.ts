const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `instance_<ulid>`, minted here because the browser's client loads no package (CLNT-01). */
export function mintInstanceId(now: number = Date.now()): string {
  let time = '';
  for (let left = now, digit = 0; digit < 10; digit++) {
    time = ALPHABET.charAt(left % 32) + time;
    left = Math.floor(left / 32);
  }
  const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => ALPHABET.charAt(byte % 32));
  return `instance_${time}${random.join('')}`;
}
