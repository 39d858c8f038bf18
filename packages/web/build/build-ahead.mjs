import path from 'node:path'
import { build } from 'vite'

/**
 * Puts a small script before the app, in a file that needs no other: it asks the hub while the app is still on its way.
 * @param {string} home
 * @returns {Promise<import('vite').Plugin>}
 */
export async function aheadOfApp(home) {
  const built = await build({
    root: home,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      target: ['es2022', 'safari16'],
      modulePreload: false,
      rolldownOptions: {
        input: path.join(home, 'src/early-requests/main.ts'),
        output: { entryFileNames: 'assets/ahead-[hash].js', format: 'iife' },
      },
    },
  })
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (built)
  const [{ fileName, code }] = output
  return {
    name: 'ahead-of-app',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: code })
    },
    // Whoever waits for it would have the page wait, too.
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `/${fileName}`, async: true }, injectTo: 'head-prepend' },
    ],
  }
}
