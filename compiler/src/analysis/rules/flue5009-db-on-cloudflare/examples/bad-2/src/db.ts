import { sqlite } from '@flue/runtime/node';
export default sqlite('data.db');
