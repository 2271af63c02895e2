import { Hono } from 'hono';
import './a.ts';
export default new Hono();
