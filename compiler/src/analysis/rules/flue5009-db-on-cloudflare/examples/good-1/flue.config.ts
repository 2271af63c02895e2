export default { target: 'node' };
