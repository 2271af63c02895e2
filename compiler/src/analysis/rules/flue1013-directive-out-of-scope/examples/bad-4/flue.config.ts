export default { agents: 'agents/**' };
