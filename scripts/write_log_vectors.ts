import { writeFileSync } from 'node:fs'
import { logVectors } from '../test/support/log_vectors.ts'

/** Writes the vectors of the transparency log's formats, after a change of these. A test says if they are stale. */
for (const [name, text] of logVectors()) writeFileSync(`test/vectors/log/${name}`, text)
