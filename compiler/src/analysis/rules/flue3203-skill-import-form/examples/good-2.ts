import data from './d.json' with { type: 'json' };
export { data };
