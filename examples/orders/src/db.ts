import { sqlite } from '@flue/runtime/node';

export default sqlite(process.env.FLUE_DB ?? './data/orders.db');
