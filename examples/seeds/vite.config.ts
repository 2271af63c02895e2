import flue from '@flue/unplugin/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [flue()] });
