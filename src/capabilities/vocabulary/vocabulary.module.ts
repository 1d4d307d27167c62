import { Module } from '@nestjs/common';
import { Vocabulary } from '../queries/vocabulary.js';
import { ProjectedVocabulary } from './projected-vocabulary.js';

/**
 * What entries of contracts are understood by. A module of its own: whoever negotiates needs it, and
 * nothing else of capabilities.
 */
@Module({
  providers: [{ provide: Vocabulary, useClass: ProjectedVocabulary }],
  exports: [Vocabulary],
})
export class VocabularyModule {}
