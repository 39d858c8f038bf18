import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { listAllRuns } from '@farhand/client/resources/resources'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunStatus } from '@farhand/protocol/wire/run-status'

type Wanted = CallOptions & {
  /** The beginning of their ids. */
  begins?: string
  /** A part of the title, of the project's name or of the id. */
  find?: string
  status?: RunStatus
  waiting?: true
  /** A condition that the hub cannot check. */
  only?: (run: ListedRun) => boolean
  most?: number
}

/** The newest runs of this user, newest first, and whether there are more than `most`. */
export async function allRuns(
  hub: Hub,
  { most = Number.POSITIVE_INFINITY, only = () => true, ...wanted }: Wanted,
): Promise<{ runs: ListedRun[]; areMore: boolean }> {
  const runs: ListedRun[] = []
  for (let cursor: string | null | undefined; cursor !== null && runs.length <= most; ) {
    const page = await listAllRuns(hub, cursor === undefined ? wanted : { ...wanted, cursor })
    runs.push(...page.items.filter(only))
    cursor = page.next
  }
  return { runs: runs.slice(0, most), areMore: runs.length > most }
}
