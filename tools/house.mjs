import { prepare } from './prepare.mjs'

await prepare()
const { register } = await import('tsx/esm/api')
register()
await import('./house/main.ts')
