export async function Loader() {
  return 1;
}
