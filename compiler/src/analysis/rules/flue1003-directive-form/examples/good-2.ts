
export const x = `use agent`;
