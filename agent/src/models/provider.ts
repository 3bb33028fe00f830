import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelEntry } from '@podwright/api/models';
import type { LanguageModel } from 'ai';

/** The AI SDK's model of an entry. `environment` holds the keys that entries name. */
export function createProviderModel(entry: ModelEntry, environment: Record<string, string | undefined>): LanguageModel {
  const apiKey = entry.apiKeyEnv === undefined ? undefined : environment[entry.apiKeyEnv];
  const common = {
    ...(entry.baseUrl === undefined ? {} : { baseURL: entry.baseUrl }),
    // Servers without keys want the header absent; the SDKs want some text.
    apiKey: apiKey ?? 'none',
  };
  switch (entry.provider) {
    case 'openai':
      return createOpenAI(common).chat(entry.model);
    case 'anthropic':
      return createAnthropic(common)(entry.model);
    case 'openai-compatible':
  }
  if (entry.baseUrl === undefined) throw new Error(`model ${entry.name} needs a baseUrl`);
  return createOpenAICompatible({ ...common, name: 'openai-compatible', baseURL: entry.baseUrl })(entry.model);
}
