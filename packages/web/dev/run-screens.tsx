import { StoryFold } from '@farhand/story/fold/story-fold'
import type { Story } from '@farhand/story/items/story'
import { useEffect, useState } from 'react'
import { RunScreen } from '../src/run/run-screen.tsx'
import { longLog, madeUpStory, noActions, storyAtWork } from './made-up-story.ts'

const noWhole = () => Promise.reject(new Error('there is no hub on this page'))

function Run({ story }: { story: Story }) {
  return (
    <RunScreen
      run="run_madeup01"
      part="talk"
      event={null}
      title="One way to show times"
      story={story}
      isLoaded
      connection={{ words: 'Connected', tone: 'good' }}
      actions={noActions}
      fetchBlob={noWhole}
      entries={[]}
      composer={() => null}
      files={null}
    />
  )
}

export const RunAsking = () => <Run story={madeUpStory} />
export const RunAtWork = () => <Run story={storyAtWork} />

/** 10,000 events, and then 50 more each second. */
export function RunLong() {
  const [fold] = useState(() => {
    const all = longLog(20_000)
    const made = new StoryFold()
    const began = performance.now()
    for (const event of all.slice(0, 10_000)) made.take(event)
    console.log('folded', Math.round(performance.now() - began), 'ms')
    return { made, rest: all.slice(10_000) }
  })
  const [story, setStory] = useState(fold.made.story)
  useEffect(() => {
    const timer = setInterval(() => {
      const next = fold.rest.shift()
      if (next) fold.made.take(next)
      setStory(fold.made.story)
    }, 20)
    return () => clearInterval(timer)
  }, [fold])
  return <Run story={story} />
}
