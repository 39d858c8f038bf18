import { memoryRunCache } from './memory-run-cache.ts'
import { runCacheContract } from './run-cache.contract.ts'

runCacheContract('in memory', async () => {
  const cache = memoryRunCache()
  return [cache, cache]
})
