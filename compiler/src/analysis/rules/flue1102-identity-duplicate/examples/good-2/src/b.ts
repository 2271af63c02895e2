export function Agent() {
  return 'x';
}
