import { auth } from 'auth-kit';
import { Hono } from 'hono';
import agents from './agents-app.ts';
const app = new Hono();
app.use('/agents/*', auth);
app.route('/agents', agents);
export default app;
