export interface Order {
  readonly id: string;
  readonly customerId: string;
  readonly status: string;
  readonly eta: string;
}

const book: readonly Order[] = [
  { id: 'ORD-1042', customerId: 'cus-7', status: 'in customs in Rotterdam', eta: '2026-12-04' },
  { id: 'ORD-1043', customerId: 'cus-7', status: 'being packed', eta: '2026-12-09' },
  { id: 'ORD-2001', customerId: 'cus-9', status: 'delivered to a neighbour', eta: '2026-11-27' },
];

export const orders = {
  async get(id: string): Promise<Order> {
    const order = book.find((candidate) => candidate.id === id);
    if (!order) throw new Error(`There is no order ${id}.`);
    return order;
  },

  /** `undefined` for an unknown order and for another customer's alike, so that ids cannot be probed. */
  async getStatus(customerId: string, id: string): Promise<string | undefined> {
    return book.find((order) => order.id === id && order.customerId === customerId)?.status;
  },
};
