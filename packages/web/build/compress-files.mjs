import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const leastBytes = 1024
const isText = (/** @type {string} */ name) => /\.(html|js|css|svg|json|webmanifest|txt)$/.test(name)

/**
 * Writes each text file compressed in both formats that browsers accept, so that the hub need not compress it per request.
 * @param {string} folder
 */
export async function compressFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries.filter((entry) => entry.isFile() && isText(entry.name))
  for (const entry of texts) {
    const file = path.join(entry.parentPath, entry.name)
    const bytes = await readFile(file)
    if (bytes.length < leastBytes) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    const [small, other] = await Promise.all([
      promisify(brotliCompress)(bytes, { params }),
      promisify(gzip)(bytes, { level: 9 }),
    ])
    await Promise.all([writeFile(`${file}.br`, small), writeFile(`${file}.gz`, other)])
  }
}
