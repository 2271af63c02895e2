export function Fmt() {
  return 'x';
}
