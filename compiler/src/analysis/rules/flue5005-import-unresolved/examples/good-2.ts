import fs from 'node:fs';
export { fs };
