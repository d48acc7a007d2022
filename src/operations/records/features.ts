import Type from 'typebox'
import { featureNames } from '../../protocol/wire/feature_names.ts'
import { oneOf, optional } from '../fields/fields.ts'
import type { Feature } from './records.ts'

export const FeatureView = Type.Object({ name: oneOf(featureNames), value: optional(Type.String()) })

export function featureView({ name, value }: Feature): Type.Static<typeof FeatureView> {
  return { name, ...(value === undefined ? {} : { value }) }
}
