import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** The folder of the built web app, or why there is none. The hub calls it when a user opens a page. */
export type WebAppSource = () => Promise<{ folder: string } | { missing: string }>

export type WebFile = {
  bytes: Buffer
  type: string
  etag: string
  /** Whether its name changes with its content. */
  isForGood: boolean
  brotli: Buffer | null
  gzip: Buffer | null
}

const kinds: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * The web app, held in memory: it is small, and a new build must not remove files that a browser is still loading. It is read at
 * the first request.
 */
export class WebApp {
  readonly #source: WebAppSource
  #loaded: { folder: string; files: ReadonlyMap<string, WebFile> } | null = null
  #asking: Promise<string | null> | null = null

  readonly #command: string

  constructor(
    source: WebAppSource = async () => ({ missing: 'This hub was started without it.' }),
    command = 'farhand',
  ) {
    this.#source = source
    this.#command = command
  }

  /** The page for all paths of the app, or why there is none. */
  async page(): Promise<WebFile | { missing: string }> {
    const missing = await this.#ask()
    return missing === null ? this.#loaded!.files.get('/index.html')! : { missing }
  }

  /** A file of the app by its path; null if there is none. */
  async file(path: string): Promise<WebFile | null> {
    if (!this.#loaded) await this.#ask()
    return this.#loaded?.files.get(path) ?? null
  }

  /** Requests that come while the app is being loaded share that load. */
  #ask(): Promise<string | null> {
    this.#asking ??= this.#load().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #load(): Promise<string | null> {
    const found = await this.#source()
    if ('missing' in found) return found.missing
    if (this.#loaded?.folder === found.folder) return null
    const files = await filesIn(found.folder)
    const page = files.get('/index.html')
    if (!page) return `There is no page in ${found.folder}.`
    files.set('/index.html', namingCommand(page, this.#command))
    this.#loaded = { folder: found.folder, files }
    return null
  }
}

async function filesIn(folder: string): Promise<Map<string, WebFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const bytes = new Map<string, Buffer>()
  for (const file of found)
    bytes.set(`/${file.slice(folder.length + 1).replaceAll(sep, '/')}`, await readFile(file))
  const files = new Map<string, WebFile>()
  for (const [path, whole] of bytes) {
    const type = kinds[extname(path)]
    if (type === undefined) continue
    const [brotli, gzip] = [bytes.get(`${path}.br`) ?? null, bytes.get(`${path}.gz`) ?? null]
    files.set(path, {
      bytes: whole,
      type,
      etag: etagOf(whole),
      isForGood: path.startsWith('/assets/'),
      brotli,
      gzip,
    })
  }
  return files
}

/** The page with this machine's farhand command in it, which the app shows to users. */
function namingCommand(page: WebFile, command: string): WebFile {
  const plain = '<meta name="farhand-command" content="farhand"'
  const text = page.bytes.toString('utf8')
  if (command === 'farhand' || !text.includes(plain)) return page
  const safe = command.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const bytes = Buffer.from(text.replace(plain, () => `<meta name="farhand-command" content="${safe}"`))
  return { ...page, bytes, etag: etagOf(bytes), brotli: null, gzip: null }
}

const etagOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
