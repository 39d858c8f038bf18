import path from 'node:path'
import { build } from 'vite'

/**
 * Adds a small script before the app, in one file without imports: it sends the first requests while the app is loading.
 * @param {string} home
 * @returns {Promise<import('vite').Plugin>}
 */
export async function earlyRequests(home) {
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
        output: { entryFileNames: 'assets/early-[hash].js', format: 'iife' },
      },
    },
  })
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (built)
  const [{ fileName, code }] = output
  return {
    name: 'early-requests',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: code })
    },
    // async: a blocking script would delay the page.
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `/${fileName}`, async: true }, injectTo: 'head-prepend' },
    ],
  }
}
