/** Stands in for the shop's database. Only the tool can know what is written here. */
const orders = [
  { number: 1041, item: 'oak desk', status: 'delivered on Monday' },
  { number: 1042, item: 'reading lamp', status: 'packed, leaves Hamburg on Thursday' },
  { number: 1043, item: 'bookshelf', status: 'waiting for the carpenter' },
] as const;

export function findOrder(number: number) {
  const order = orders.find((candidate) => candidate.number === number);
  if (!order) throw new Error(`There is no order ${number}.`);
  return order;
}
