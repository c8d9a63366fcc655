const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Aggregates and window functions: all are bounded by their input. */
const aggregates = names(`
  any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_min arg_min_null argmax
  argmin array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count count_if count_star countif covar_pop
  covar_samp cume_dist dense_rank entropy favg first first_value fsum geomean geometric_mean group_concat histogram
  kahan_sum kurtosis kurtosis_pop lag last last_value lead list listagg mad max max_by mean median min min_by mode
  nth_value ntile percent_rank product quantile quantile_cont quantile_disc rank rank_dense regr_avgx regr_avgy
  regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile row_number sem skewness
  stddev stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance wavg weighted_avg
  json_group_array json_group_object grouping grouping_id fill`);

/**
 * Scalar functions whose answer is about as large as what they are given. Left out on purpose: those that make much out
 * of little (repeat, lpad, rpad, printf, format, range as a scalar, list_resize, list_reduce, bitstring), the edit
 * distances, which no time limit of the engine stops, and all that speak of the engine, its files, settings or clock.
 */
const scalars = names(`
  abs acos acosh add age array_to_string ascii asin asinh atan atan2 atanh bar bit_count bit_length cardinality cbrt
  ceil ceiling century char_length character_length chr coalesce concat concat_ws contains cos cosh cot date_add
  date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
  days_in_month decade degrees divide element_at ends_with epoch epoch_ms epoch_ns epoch_us equi_width_bins era even
  exp factorial fdiv flatten floor fmod format_bytes gamma gcd greatest greatest_common_divisor hash hour if ifnull
  instr isfinite isinf isnan isodow isoyear json json_array json_array_length json_contains json_exists json_extract
  json_extract_path json_extract_path_text json_extract_string json_keys json_object json_quote json_structure json_type
  json_valid json_value julian last_day lcase lcm least least_common_multiple left len length lgamma list_aggr
  list_aggregate list_any_value list_append list_apply list_avg list_cat list_concat list_contains list_count
  list_distinct list_element list_extract list_filter list_first list_has list_has_all list_has_any list_indexof
  list_intersect list_last list_max list_median list_min list_mode list_pack list_position list_prepend list_reverse
  list_reverse_sort list_select list_slice list_sort list_stddev_pop list_stddev_samp list_string_agg list_sum
  list_transform list_unique list_value list_where list_zip array_aggr array_aggregate array_append array_apply array_cat
  array_concat array_contains array_distinct array_extract array_filter array_has array_has_all array_has_any
  array_indexof array_intersect array_length array_position array_prepend array_reverse array_reverse_sort array_select
  array_slice array_sort array_transform array_unique array_where array_zip apply filter ln log log10 log2 lower ltrim
  make_date make_time make_timestamp map map_contains map_entries map_extract map_extract_value map_from_entries map_keys
  map_values md5 microsecond millennium millisecond minute mod month monthname multiply nanosecond nullif octet_length
  ord pi position pow power prefix quarter radians random regexp_escape regexp_extract regexp_extract_all
  regexp_full_match regexp_matches regexp_replace regexp_split_to_array replace reverse right round round_even
  roundbankers row rtrim second sha1 sha256 sign signbit sin sinh split split_part sqrt starts_with str_split
  str_split_regex strftime string_split string_split_regex string_to_array strip_accents strlen strpos strptime
  struct_concat struct_contains struct_extract struct_extract_at struct_insert struct_keys struct_pack struct_values
  substr substring subtract suffix switch tan tanh time_bucket timezone timezone_hour timezone_minute to_centuries
  to_days to_decades to_hours to_json to_microseconds to_milliseconds to_minutes to_months to_quarters to_seconds
  to_timestamp to_weeks to_years today translate trim trunc try_strptime typeof ucase unicode union_extract union_tag
  union_value unnest upper url_decode url_encode week weekday weekofyear xor year yearweek now current_date
  current_timestamp get_current_timestamp current_localtimestamp transaction_timestamp array_value error_if_null
  like_escape not_like_escape ilike_escape not_ilike_escape nfc_normalize constant_or_null try`);

const operators = names('+ - * / // % ^ ** & | << >> ~ || @ ! ^@ ~~ !~~ ~~* !~~* ~~~ !~~~ -> ->> @> <@ && <-> <=>');

/** Functions of a query, in lower case. */
export const allowedFunctions: ReadonlySet<string> = new Set([...aggregates, ...scalars, ...operators]);

/** Functions after FROM. */
export const allowedTableFunctions: ReadonlySet<string> = new Set([
  'range',
  'generate_series',
  'unnest',
  'json_each',
  'json_tree',
]);

/** Classes of expressions. A parameter has nothing to stand for. */
export const allowedClasses: ReadonlySet<string> = new Set(
  names('BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF OPERATOR'),
);

export const moreClasses: ReadonlySet<string> = new Set(names('POSITIONAL_REFERENCE STAR SUBQUERY WINDOW TYPE'));

/** Parts of a statement that are no expressions. RECURSIVE_CTE_NODE is not among them: it may never end. */
export const allowedNodes: ReadonlySet<string> = new Set(
  names(`SELECT_NODE SET_OPERATION_NODE BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST EMPTY EMPTY_FROM SHOW_REF
    ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER ORDER_DEFAULT ASCENDING DESCENDING
    CTE_NODE`),
);
