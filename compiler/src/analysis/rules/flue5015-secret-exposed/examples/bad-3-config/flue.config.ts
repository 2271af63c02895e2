const key = 'sk-live-0123456789abcdefABCDEF0123456789';
export default { agents: key ? '**' : '*' };
