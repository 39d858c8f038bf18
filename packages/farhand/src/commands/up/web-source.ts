import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WebAppSource } from '@farhand/hub/http/hub-parts/web-app'

const own = fileURLToPath(import.meta.url)

/** The packaged web app; in a source checkout it is built from its sources. */
export const webSource: WebAppSource = async () => {
  const home = packageAround(path.dirname(own))
  const builder = path.join(home, '../web/build/web-app.cjs')
  if (existsSync(builder)) return await built(builder)
  const folder = path.join(home, 'dist/web')
  return existsSync(folder) ? { folder } : { missing: 'It is missing: install farhand again.' }
}

async function built(builder: string): ReturnType<WebAppSource> {
  const { webApp } = createRequire(builder)(builder) as { webApp(): Promise<string> }
  try {
    return { folder: await webApp() }
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return { missing: `It could not be built: ${stderr?.trim() || message}` }
  }
}

/** The root of this package: the built code is one file in another folder than the sources. */
function packageAround(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : packageAround(path.dirname(folder))
}
