'use agent';
export function Agent(): string { return 'x';
}
