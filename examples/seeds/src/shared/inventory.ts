export interface StockLevel {
  readonly inStock: number;
  readonly warehouse: string;
}

const stock: ReadonlyMap<string, StockLevel> = new Map([
  ['LAMP-01', { inStock: 12, warehouse: 'Bremen' }],
  ['LAMP-02', { inStock: 0, warehouse: 'Bremen' }],
  ['DESK-07', { inStock: 3, warehouse: 'Graz' }],
]);

export const inventory = {
  async lookup(sku: string): Promise<StockLevel> {
    const level = stock.get(sku);
    if (!level) throw new Error(`No warehouse lists the SKU ${sku}.`);
    return level;
  },
};
