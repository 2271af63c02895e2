'use client'; 
export const x = 1;
