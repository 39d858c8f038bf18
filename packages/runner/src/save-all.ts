/** What may still have something to save when a runner ends; each waits until that is done. */
export type ToSave = {
  setup: { stop(): Promise<unknown> }
  host: { stop(): Promise<unknown> }
  memory: { saved(): Promise<unknown> } | null
  shells: { stop(): Promise<unknown> }
  answers: { idle(): Promise<unknown> }
  /** Resolves when what was done in the workspace is in the log. */
  settled(): Promise<unknown>
  checkpoints: { last(): Promise<unknown> } | null
}

/** All that is to be saved before a runner may end, in this order: each may give those after it something to save. */
export async function saveAll({
  setup,
  host,
  memory,
  shells,
  answers,
  settled,
  checkpoints,
}: ToSave): Promise<void> {
  await setup.stop()
  await host.stop()
  // What an agent keeps by itself is whole only once it has ended.
  await memory?.saved()
  await shells.stop()
  await answers.idle()
  // Nobody writes files from here on.
  await settled()
  // It is a commit of what the log has.
  await checkpoints?.last()
}
