import * as v from 'valibot';

export const OrderId = v.pipe(v.string(), v.regex(/^[A-Z]-\d+$/), v.description('such as A-1'));

export const page = (limit: number) =>
  v.object({ limit: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(limit)), limit) });
