export const x = { parameters: 1, execute() {} };
