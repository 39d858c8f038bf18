import type { ListedRun, Project } from '@farhand/protocol/schemas/api'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'
import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import type { FieldTroubles, NewRunForm } from './new-run-form.ts'
import css from './new-run-page.module.css'

type Props = {
  form: NewRunForm
  projects: readonly Project[]
  runs: readonly ListedRun[]
  troubles: FieldTroubles
  onChange: (change: Partial<NewRunForm>) => void
}

/** Chooses what the run starts from, and its project. A fork stays in the project of the other run. */
export function StartingPointPart({ form, projects, runs, troubles, onChange }: Props) {
  const forks = runs.filter(({ now }) => (now?.lastEventId ?? 0) > 0)
  const chooseFork = (id: string) => {
    const run = forks.find((one) => one.id === id)
    if (!run) return onChange({ fork: null })
    const fork = { run: run.id, event: run.now?.lastEventId ?? 0 }
    onChange({ fork, project: run.project, ...(run.agent && { agent: run.agent }) })
  }
  return (
    <>
      <Choice
        label="Start from"
        value={form.startsFrom}
        onChoose={(startsFrom) => onChange({ startsFrom })}
        options={[
          { value: 'clone', label: 'A repository' },
          { value: 'fork', label: 'Another run' },
          { value: 'empty', label: 'Nothing' },
        ]}
      />
      {form.startsFrom === 'clone' && (
        <div className={css.pair}>
          <Field label="Address of the repository" trouble={troubles.cloneUrl}>
            {(given) => (
              <input
                {...given}
                type="url"
                inputMode="url"
                placeholder="https://example.org/me/project.git"
                value={form.cloneUrl}
                onChange={(event) => onChange({ cloneUrl: event.target.value })}
              />
            )}
          </Field>
          <Field label="Branch, tag or commit" trouble={troubles.cloneRef}>
            {(given) => (
              <input
                {...given}
                placeholder="default branch"
                autoCapitalize="off"
                spellCheck={false}
                value={form.cloneRef}
                onChange={(event) => onChange({ cloneRef: event.target.value })}
              />
            )}
          </Field>
        </div>
      )}
      {form.startsFrom === 'fork' && (
        <Field
          label="Which run"
          trouble={troubles.fork}
          hint="The new run has its files and its conversation as they are now. The other one is left as it is."
        >
          {(given) => (
            <select
              {...given}
              value={form.fork?.run ?? ''}
              onChange={(event) => chooseFork(event.target.value)}
            >
              <option value="">Choose a run</option>
              {forks.map((run) => (
                <option key={run.id} value={run.id}>
                  {showHiddenCharacters(run.title)} ({showHiddenCharacters(run.projectName)})
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {form.startsFrom !== 'fork' && (
        <div className={css.pair}>
          <Field label="Project" trouble={troubles.project}>
            {(given) => (
              <select
                {...given}
                value={form.project}
                onChange={(event) => onChange({ project: event.target.value })}
              >
                {projects.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {showHiddenCharacters(name)}
                  </option>
                ))}
                <option value="">A new one</option>
              </select>
            )}
          </Field>
          {form.project === '' && (
            <Field label="Name of the new project" trouble={troubles.projectName}>
              {(given) => (
                <input
                  {...given}
                  value={form.projectName}
                  maxLength={500}
                  onChange={(event) => onChange({ projectName: event.target.value })}
                />
              )}
            </Field>
          )}
        </div>
      )}
    </>
  )
}
